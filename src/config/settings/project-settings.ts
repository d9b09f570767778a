import { isSmtpUrl, percentEncode } from './server-url.ts';
import { folder, oneOf, text } from './setting.ts';

/** The settings of a project: folders, brand, mail. */
export const projectSettings = {
  resourcesDir: folder('./resources').describe('the folder with your resource declarations'),
  routesDir: folder('./routes').describe('the folder with your own endpoints and pages'),
  jobsDir: folder('./jobs').describe('the folder with your background jobs'),
  migrationsDir: folder('./migrations').describe('the folder with your own database migrations'),
  seedsDir: folder('./seeds').describe('the folder with rows for development. `gatehouse seed` writes them'),
  viewsDir: folder('./views').describe('the folder with views that replace the built-in pages'),
  languagesDir: folder('./languages').describe('the folder with message files that change or add a language'),
  defaultLanguage: text('en', 'a language tag (BCP 47), such as de', /^[a-z]{2,8}(-[a-z0-9]{2,8})*$/i).describe(
    'the language for users whose browser requests no available language',
  ),
  compat: oneOf(['off', 'passport', 'apiato10', 'apiato11', 'apiato12', 'apiato13'], 'off').describe(
    'the former service whose responses Gatehouse imitates where its own differ',
  ),
  compatIds: oneOf(['own', 'hashed'], 'own').describe(
    'the form of the ids of imported users and clients in responses, with COMPAT=apiato…',
  ),
  brandName: text('Gatehouse', '1 to 60 characters on one line', /^[^\p{Cc}\p{Cf}]{1,60}$/u).describe(
    'the name of the service on pages, in mail and in the console',
  ),
  brandLogo: text(
    '',
    'an https URL, or a file (svg, png, jpg, webp, gif; at most 1 MiB) that the service then serves',
    /^(https?:\/\/[^\s"'<>;,]+|(?!https?:)\S.*)$/,
  ).describe('the logo on pages, in mail and in the console'),
  brandColor: text('', 'a colour in the form #rgb or #rrggbb', /^#([\da-f]{3}|[\da-f]{6})$/i).describe(
    'the colour of buttons and links. Gatehouse makes text in this colour dark or light enough to read',
  ),
  smtpUrl: text('', `smtp://USER:PASSWORD@HOST:PORT or smtps://…${percentEncode}`, isSmtpUrl).describeSecret(
    'the URL of the mail server. Unset: the service writes emails to DATA_DIR/mail',
  ),
  mailFrom: text('gatehouse@localhost', 'an address, or Name <address>', /^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/).describe(
    'the sender of emails. If it has no name, the name is BRAND_NAME',
  ),
} as const;
