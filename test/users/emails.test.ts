import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { type MailServer, mailServers, tokenIn } from '../harness/mail-server.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

interface JsonResponse {
  data: { id: string; email: string };
  errors: { field: string; code: string }[];
}

const password = 'a fine long secret';

onBothEngines('Email addresses', (engine) => {
  const start = services(engine);
  const startMailServer = mailServers();
  let server: MailServer;
  let service: Service;
  let admin: string;
  before(async () => {
    server = await startMailServer();
    service = await start({ env: { SMTP_URL: server.url } });
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
  });
  const register = (email: string) => request<JsonResponse>(service, '/v1/register', { json: { email, password } });
  const create = (email: string) =>
    request<JsonResponse>(service, '/v1/users', { json: { email, password }, token: admin });

  for (const email of [
    'crlf@example.com\r\n',
    'crlf@exam\r\nple.com',
    'tab@exam\tple.com',
    'spa ce@example.com',
    ' leading@example.com',
    'a@example.com/path',
    'a@example.com?query',
    'a@example.com#part',
    'a@b@example.com',
    '<b>bold</b>@example.com',
    'a@<img src=x>.com',
    '"quoted"@example.com',
    'a@exam%70le.com',
    `${'a'.repeat(65)}@example.com`,
  ]) {
    it(`are refused everywhere if they are invalid: ${JSON.stringify(email).slice(0, 40)}`, async () => {
      for (const send of [register, create]) {
        const { status, body } = await send(email);
        assert.equal(status, 422);
        assert.deepEqual(
          body.errors.map(({ field, code }) => `${field}:${code}`),
          ['email:invalid'],
        );
      }
    });
  }

  it('are stored with an unchanged local part and an ASCII host, and match in any spelling', async () => {
    const { status, body } = await register('Zoe.Smith@B\u00dcCHER\u3002example');
    assert.equal(status, 201);
    const email = 'Zoe.Smith@xn--bcher-kva.example';
    assert.equal(body.data.email, email);
    const spellings = [email, 'zoe.smith@b\u00fccher.example', 'ZOE.SMITH@XN--BCHER-KVA.EXAMPLE'];
    for (const spelling of spellings) {
      assert.ok(await logIn(service, spelling, password));
      const again = await create(spelling);
      assert.equal(again.status, 422);
      assert.equal(again.body.errors[0]?.code, 'taken');
    }
    const taken = await register('zoe.smith@b\u00fccher.example');
    assert.equal(taken.status, 422);
    const query = new URLSearchParams({ search: `email:${email.toUpperCase()}` });
    const found = await request<{ data: { id: string }[] }>(service, `/v1/users?${query}`, { token: admin });
    assert.deepEqual(
      found.body.data.map(({ id }) => id),
      [body.data.id],
    );
  });

  it('get their mail in the registered spelling, regardless of the spelling in the request', async () => {
    await register('Post.Box@example.com');
    await service.accounts.mail.settle();
    await request(service, '/v1/password/resets', { json: { email: 'POST.BOX@example\u3002com' } });
    await service.accounts.mail.settle();
    const mails = server.mails.filter(({ to }) => to?.[0]?.address?.toLowerCase() === 'post.box@example.com');
    assert.deepEqual(
      mails.map(({ to }) => to?.[0]?.address),
      ['Post.Box@example.com', 'Post.Box@example.com'],
    );
    const token = tokenIn(mails.at(-1) as (typeof mails)[number]);
    const reset = await request(service, `/v1/password/resets/${token}`, { json: { password: 'another fine secret' } });
    assert.equal(reset.status, 200);
    assert.ok(await logIn(service, 'post.box@EXAMPLE.com', 'another fine secret'));
  });
});
