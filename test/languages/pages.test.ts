import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { databases, onBothEngines } from '../harness/engines.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { password, registerUser } from '../harness/people.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const german = { 'accept-language': 'de-CH,de;q=0.9,en;q=0.5' };

onBothEngines('Languages', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);

  it('follow the browser until the user chooses one, for pages and for mail', async () => {
    const service = await start();
    const visitor = new Visitor(service);
    const login = await visitor.get('/login', german);
    assert.match(login.html, /<html lang="de"[\s\S]*<h1>Anmelden<\/h1>/);
    assert.equal(login.headers.get('content-language'), 'de');
    assert.match(login.headers.get('vary') ?? '', /accept-language/i);
    assert.match((await visitor.get('/login')).html, /<html lang="en"[\s\S]*<h1>Sign in<\/h1>/);
    assert.match((await visitor.get('/login', { 'accept-language': 'nl' })).html, /<html lang="en"/);
    const missing = await visitor.get('/no-such-page', german);
    assert.match(missing.html, /Seite nicht gefunden/);

    const french = await visitor.get('/oauth/authorize?client_id=nobody', { 'accept-language': 'fr' });
    assert.match(french.html, /<p[^>]*>L’application qui vous a envoyé ici n’est pas connue, ou ne l’est plus/);
    const spanish = await visitor.get('/oauth/authorize', { 'accept-language': 'es' });
    assert.match(spanish.html, /ha cometido un error: falta client_id\./);
    const unreadable = await visitor.get('/oauth/logout?client_id=nobody', german);
    assert.match(unreadable.html, /<p[^>]*>Diese Anwendung gibt es hier nicht\.</);
    for (const { html } of [french, spanish, unreadable]) assert.doesNotMatch(html, /application that|does not exist/);

    await visitor.get('/register', german);
    const short = await visitor.send('/register', { email: 'ada@example.com', password: 'kurz' }, german);
    assert.match(short.html, /Das Passwort muss mindestens 8 Zeichen haben\./);
    await visitor.send('/register', { email: 'ada@example.com', password }, german);
    const [mail] = await mailsTo(service, 'confirm-email', 'ada@example.com');
    assert.equal(mail?.subject, 'Bestätigen Sie Ihre E-Mail-Adresse');
    assert.match(mail?.html ?? '', /<html lang="de">/);
    assert.match(
      mail?.html ?? '',
      /\.quiet a \{ color: inherit/,
      'the link in the footer is legible in dark mail clients',
    );

    const profile = await visitor.get('/settings', german);
    assert.match(profile.html, /<h1>Profil<\/h1>/);
    const saved = await visitor.send('/settings', { email: 'ada@example.com', name: 'Ada', locale: 'fr' }, german);
    assert.equal(saved.location, '/settings?done=profile-saved');
    assert.match((await visitor.get('/settings', german)).html, /<html lang="fr"[\s\S]*Membre depuis le/);
    await request(service, '/v1/password/resets', { json: { email: 'ada@example.com' }, headers: german });
    const [reset] = await mailsTo(service, 'reset-password', 'ada@example.com');
    assert.equal(
      reset?.subject,
      'Définir un nouveau mot de passe',
      'mail is in the chosen language, not in that of the request',
    );

    await visitor.send('/language', { language: 'es', next: '/settings/sessions' });
    const sessions = await visitor.get('/settings/sessions', german);
    assert.match(sessions.html, /<html lang="es"[\s\S]*<h1>Sesiones<\/h1>/);
    const stranger = new Visitor(service);
    assert.equal((await stranger.send('/language', { language: 'es', next: '/login' })).location, '/login');
    assert.match((await stranger.get('/login', german)).html, /<h1>Iniciar sesión<\/h1>/);
    assert.match((await stranger.get('/nothing', german)).html, /<html lang="es"/);
  });

  it('follow the account of a signed-in user, on public pages and error pages too', async () => {
    const service = await start();
    const { email, token } = await registerUser(service);
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    await request(service, '/v1/users/me', { method: 'PATCH', json: { locale: 'de' }, token });
    for (const visit of [
      await visitor.get('/logout'),
      await visitor.get('/nothing'),
      await visitor.get('/settings?x=%00'),
      await visitor.get('/password/forgot'),
      await visitor.get('/oauth/authorize?client_id=nobody'),
      await visitor.send('/settings', { _csrf: 'wrong' }),
      await visitor.send('/oauth/authorize/decision', {}),
    ])
      assert.deepEqual(
        [visit.headers.get('content-language'), /<html lang="(\w+)"/.exec(visit.html)?.[1]],
        ['de', 'de'],
        visit.html,
      );
  });

  it('can be changed and added by files of the operator, whose texts are escaped', async () => {
    const database = await createDatabase();
    const dir = join(database.dir, 'languages');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'de.json'), JSON.stringify({ 'login.title': 'Hereinspaziert <b>{nobody}</b>' }));
    writeFileSync(join(dir, 'it.json'), JSON.stringify({ 'login.title': 'Accedi' }));
    const service = await start({ env: { LANGUAGES_DIR: dir, DEFAULT_LANGUAGE: 'de' }, database });
    const visitor = new Visitor(service);
    const own = await visitor.get('/login');
    assert.match(own.html, /<html lang="de"[\s\S]*<h1>Hereinspaziert <\/h1>/);
    const added = await visitor.get('/login', { 'accept-language': 'it' });
    assert.match(
      added.html,
      /<html lang="it"[\s\S]*<h1>Accedi<\/h1>[\s\S]*Passwort/,
      'the other texts are in the default language',
    );
    assert.match(added.html, /<option value="it" lang="it" selected>Italiano<\/option>/);
  });

  it("are refused with the reason if a user's language is unknown", async () => {
    const service = await start();
    const made = { email: 'bob@example.com', password };
    await request(service, '/v1/register', { json: made });
    const visitor = new Visitor(service);
    await visitor.signIn(made.email, password);
    await visitor.get('/settings');
    const refused = await visitor.send('/settings', { email: made.email, locale: 'not a language' });
    assert.equal(refused.status, 422);
    assert.match(refused.html, /locale must be a language tag|must be a language tag/i);
  });
});
