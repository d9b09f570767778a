import { isSmtpUrl, percentEncode } from './server-url.ts';
import { oneOf, text, withCondition } from './setting.ts';

const folder = { expected: 'a folder that exists' };

/** The settings of a project: folders, brand, mail. */
export const projectSettings = {
  resourcesDir: text('RESOURCES_DIR', './resources', 'the folder with your resource declarations', folder),
  routesDir: text('ROUTES_DIR', './routes', 'the folder with your own endpoints and pages', folder),
  jobsDir: text('JOBS_DIR', './jobs', 'the folder with your background jobs', folder),
  migrationsDir: text('MIGRATIONS_DIR', './migrations', 'the folder with your own database migrations', folder),
  seedsDir: text('SEEDS_DIR', './seeds', 'the folder with rows for development. `gatehouse seed` writes them', folder),
  viewsDir: text('VIEWS_DIR', './views', 'the folder with views that replace the built-in pages', folder),
  languagesDir: text(
    'LANGUAGES_DIR',
    './languages',
    'the folder with message files that change or add a language',
    folder,
  ),
  defaultLanguage: text(
    'DEFAULT_LANGUAGE',
    'en',
    'the language for people whose browser requests no available language',
    { expected: 'a language tag (BCP 47), such as de', pattern: /^[a-z]{2,8}(-[a-z0-9]{2,8})*$/i },
  ),
  compat: oneOf(
    'COMPAT',
    ['off', 'passport', 'apiato10', 'apiato11', 'apiato12', 'apiato13'],
    'off',
    'the former service whose responses Gatehouse imitates where its own differ',
  ),
  compatIds: oneOf(
    'COMPAT_IDS',
    ['own', 'hashed'],
    'own',
    'the form of the ids of imported users and clients in responses, with COMPAT=apiato…',
  ),
  brandName: text('BRAND_NAME', 'Gatehouse', 'the name of the service on pages, in mail and in the console', {
    expected: '1 to 60 characters on one line',
    pattern: /^[^\p{Cc}\p{Cf}]{1,60}$/u,
  }),
  brandLogo: text('BRAND_LOGO', '', 'the logo on pages, in mail and in the console', {
    expected: 'an https URL, or a file (svg, png, jpg, webp, gif; at most 1 MiB) that the service then serves',
    pattern: /^(https?:\/\/[^\s"'<>;,]+|(?!https?:)\S.*)$/,
  }),
  brandColor: text(
    'BRAND_COLOR',
    '',
    'the colour of buttons and links. Gatehouse makes text in this colour dark or light enough to read',
    { expected: 'a colour in the form #rgb or #rrggbb', pattern: /^#([\da-f]{3}|[\da-f]{6})$/i },
  ),
  smtpUrl: withCondition(
    text('SMTP_URL', '', 'the URL of the mail server. Unset: the service writes emails to DATA_DIR/mail', {
      expected: `smtp://USER:PASSWORD@HOST:PORT or smtps://…${percentEncode}`,
      secret: true,
    }),
    isSmtpUrl,
  ),
  mailFrom: text(
    'MAIL_FROM',
    'gatehouse@localhost',
    'the sender of emails. If it has no name, the name is BRAND_NAME',
    { expected: 'an address, or Name <address>', pattern: /^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/ },
  ),
} as const;
