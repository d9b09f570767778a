// @node-oauth/express-oauth-server: opaque tokens in memory, rotating refresh tokens, no password hashing (the model
// would do it).
import { randomUUID, scrypt, scryptSync, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import OAuthServer from '@node-oauth/express-oauth-server';
import express from 'express';
import { authenticatedGet, form, postForm } from './operations.mjs';

const port = Number(process.env.PORT);
const client = {
  id: 'bench',
  clientId: 'bench',
  clientSecret: 'bench-secret-bench',
  grants: ['client_credentials', 'password', 'refresh_token'],
};
const user = { id: 'user' };
const derive = promisify(scrypt);
const salt = 'salt';
const hash = scryptSync('correct horse battery', salt, 32);
const inAnHour = new Date(Date.now() + 3_600_000);
const access = new Map();
const refresh = new Map();

const model = {
  getClient: async (id, secret) =>
    id === client.id && (!secret || secret === client.clientSecret) ? client : undefined,
  getUserFromClient: async () => user,
  getUser: async (_name, password) => (timingSafeEqual(await derive(password, salt, 32), hash) ? user : undefined),
  saveToken: async (token, ofClient, ofUser) => {
    const saved = { ...token, client: ofClient, user: ofUser };
    access.set(token.accessToken, saved);
    if (token.refreshToken) refresh.set(token.refreshToken, saved);
    return saved;
  },
  getAccessToken: async (token) => access.get(token),
  getRefreshToken: async (token) => refresh.get(token),
  revokeToken: async (token) => refresh.delete(token.refreshToken),
};

const app = express();
app.disable('x-powered-by');
app.use(express.urlencoded({ extended: false }));
const oauth = new OAuthServer({ model });
app.post('/token', oauth.token());
app.get('/me', oauth.authenticate(), (_request, response) =>
  response.json({ data: { id: user.id, email: 'ada@example.com' } }),
);
app.get('/ready', (_request, response) => response.json({}));
app.get('/bench/operations', async (_request, response) => {
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
  const url = `http://127.0.0.1:${port}/token`;
  const password = { grant_type: 'password', username: 'ada', password: 'correct horse battery', ...credentials };
  const values = Array.from({ length: 256 }, () => randomUUID());
  for (const refreshToken of values) {
    await model.saveToken(
      { accessToken: randomUUID(), refreshToken, accessTokenExpiresAt: inAnHour, refreshTokenExpiresAt: inAnHour },
      client,
      user,
    );
  }
  const { access_token } = await postForm(url, { grant_type: 'client_credentials', ...credentials });
  response.json({
    'client credentials': form('/token', { grant_type: 'client_credentials', ...credentials }, 'access_token'),
    password: form('/token', password, 'access_token'),
    refresh: form('/token', { grant_type: 'refresh_token', refresh_token: '{}', ...credentials }, 'refresh_token', {
      values,
      nextValue: 'refresh_token',
    }),
    get: authenticatedGet('/me', access_token, 'ada@example.com'),
  });
});
app.listen(port, '127.0.0.1');
