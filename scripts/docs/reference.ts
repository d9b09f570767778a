import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/run-command.ts';
import { textOfValue } from '../../src/config/settings/setting.ts';
import { settings } from '../../src/config/settings/settings.ts';
import { errorCodes } from './error-codes.ts';

/** The pages of docs/reference that are generated from the code. `npm run docs` writes them, and a test compares them. */
export const referencePages = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/commands.md', await commandsPage()],
    ['docs/reference/errors.md', errorsPage()],
  ]);

const made = '<!-- Made from the code by `npm run docs`: change it there. -->\n';

function settingsPage(): string {
  const parts = Object.entries(settings).map(([key, { env, default: value, description, expected, secret }]) => {
    const usual = textOfValue(value);
    const lines = [`## ${env}`, '', `${capital(description)}.`, '', `- key: \`${key}\``, `- takes: ${expected}`];
    lines.push(`- default: ${usual === '' ? 'unset' : `\`${usual}\``}`);
    if (secret) lines.push('- a secret: no message and no log shows it');
    return lines.join('\n');
  });
  const intro = `# Settings, one by one

Each setting is an environment variable (also in \`.env\`) and a key of \`gatehouse.config.ts\`. [Settings](../configuration.md) groups them by
subject. \`CLIENT_<PLATFORM>_<AUDIENCE>_ID\` and \`…_SECRET\` define [proxied clients](../configuration.md#clients-behind-a-proxy).`;
  return `${made}${intro}\n\n${parts.join('\n\n')}\n`;
}

async function commandsPage(): Promise<string> {
  const parts = leaves(await createProgram()).map(({ name, command }) => {
    const help = command.createHelp();
    help.helpWidth = 100;
    const text = stripVTControlCharacters(help.formatHelp(command, help)).trimEnd();
    return `## gatehouse ${name}\n\n\`\`\`text\n${text}${examplesOf(command)}\n\`\`\``;
  });
  const intro = `# Commands

\`npx gatehouse-server …\` in a project, \`npm run gatehouse -- …\` in a clone. A command exits with 0 if it succeeds, with 1 if it fails, and
with 2 if you call it incorrectly.`;
  return `${made}${intro}\n\n${parts.join('\n\n')}\n`;
}

function leaves(command: Command, path: string[] = []): { name: string; command: Command }[] {
  if (command.commands.length === 0) return [{ name: path.join(' '), command }];
  return command.commands.flatMap((one) => leaves(one, [...path, one.name()]));
}

/** The text of `addHelpText`. Commander prints it and does not return it. */
function examplesOf(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => parts.push(part) });
  command.outputHelp();
  return `\n${parts.slice(1).join('').trimEnd()}`.trimEnd();
}

function errorsPage(): string {
  const rows = errorCodes().map(({ status, code, about }) => `| ${status} | \`${code}\` | ${about} |`);
  return `${made}# Errors

Under \`/v1\`, an error response is \`application/problem+json\` (RFC 9457). It has \`type\`, \`title\`, \`status\`, \`detail\`, \`instance\` (the request id), a
stable \`code\`, and for 422 \`errors: [{field, code, message, limit?, values?}]\`. The OAuth endpoints and the proxies return \`{error, error_description}\`
(RFC 6749 5.2). Use \`status\` and \`code\` in programs. \`detail\` is for people, and its text can change.

| status | code | meaning |
| --- | --- | --- |
${rows.join('\n')}

## OAuth errors

${oauthErrors()
  .map((error) => `- \`${error}\``)
  .join('\n')}
`;
}

const oauthErrors = (): string[] => {
  const source = readFileSync(new URL('../../src/platform/errors.ts', import.meta.url), 'utf8');
  const codes = [...source.matchAll(/type \w+ErrorCode =([^;]+);/g)].flatMap(([, type = '']) => [
    ...type.matchAll(/'(\w+)'/g),
  ]);
  if (codes.length === 0) throw new Error('src/platform/errors.ts declares no types of OAuth error codes');
  return codes.map((match) => match[1] as string);
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
