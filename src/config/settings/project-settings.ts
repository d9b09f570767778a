import { isSmtpUrl, percentEncode } from './server-url.ts';
import { oneOf, text, where } from './setting.ts';

const folder = { takes: 'a folder that exists' };

/** What makes the service an operator's own: its folders, its name, its mail. */
export const projectSettings = {
  resourcesDir: text('RESOURCES_DIR', './resources', 'the resource declarations', folder),
  routesDir: text('ROUTES_DIR', './routes', 'endpoints and pages of your own', folder),
  jobsDir: text('JOBS_DIR', './jobs', 'work that is done later', folder),
  migrationsDir: text('MIGRATIONS_DIR', './migrations', 'changes of the database by code of your own', folder),
  seedsDir: text('SEEDS_DIR', './seeds', 'rows for development, written by gatehouse seed', folder),
  viewsDir: text('VIEWS_DIR', './views', 'views that replace the built-in pages', folder),
  languagesDir: text('LANGUAGES_DIR', './languages', 'message files that change or add a language', folder),
  defaultLanguage: text('DEFAULT_LANGUAGE', 'en', 'the language for whoever asks for none that there is', {
    takes: 'a language tag (BCP 47), such as de',
    pattern: /^[a-z]{2,8}(-[a-z0-9]{2,8})*$/i,
  }),
  compat: oneOf(
    'COMPAT',
    ['off', 'passport', 'apiato10', 'apiato11', 'apiato12', 'apiato13'],
    'off',
    'answers as the service did that was taken over, where that differs',
  ),
  compatIds: oneOf(
    'COMPAT_IDS',
    ['own', 'hashed'],
    'own',
    'with COMPAT=apiato…, how answers show the ids of imported users and clients',
  ),
  brandName: text('BRAND_NAME', 'Gatehouse', 'the name on pages, in mail and in the console', {
    takes: '1 to 60 characters on one line',
    pattern: /^[^\p{Cc}\p{Cf}]{1,60}$/u,
  }),
  brandLogo: text('BRAND_LOGO', '', 'a picture for pages, mail and console', {
    takes: 'an https URL, or a file (svg, png, jpg, webp, gif; at most 1 MiB) that the service then serves',
    pattern: /^(https?:\/\/[^\s"'<>;,]+|(?!https?:)\S.*)$/,
  }),
  brandColor: text('BRAND_COLOR', '', 'the colour of buttons and links; what is read is made dark or light enough', {
    takes: 'a colour as #rgb or #rrggbb',
    pattern: /^#([\da-f]{3}|[\da-f]{6})$/i,
  }),
  smtpUrl: where(
    text('SMTP_URL', '', 'the mail server; unset: mail is written to DATA_DIR/mail', {
      takes: `smtp://USER:PASSWORD@HOST:PORT or smtps://…${percentEncode}`,
      secret: true,
    }),
    isSmtpUrl,
  ),
  mailFrom: text('MAIL_FROM', 'gatehouse@localhost', 'the sender of mail; without a name it is BRAND_NAME', {
    takes: 'an address, or Name <address>',
    pattern: /^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/,
  }),
} as const;
