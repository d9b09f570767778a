import { fileURLToPath } from 'node:url';
import { escapeHtml } from '../../../src/config/languages/format-html.ts';
import type { PageKit } from '../../../src/pages/kit/page-request.ts';
import type { themeVariables } from '../../../src/pages/kit/theme.ts';
import { readIfExists } from '../../../src/platform/files.ts';
import { packageFolder } from '../../../src/platform/version.ts';
import { Html, html, inlineMarkdown, paragraphs } from './html.ts';
import { methodBadge, operationHtml } from './operation-html.ts';
import type { ReferenceDocument, Section } from './reference-document.ts';
import { schemasOf, schemaTable, sentNames } from './schema-html.ts';

interface Release {
  readonly name: string;
  readonly changes: readonly string[];
}

const apiPathPattern = /\/v1\b|\/oauth\b|\/\.well-known\b|\/openapi\.json|\/mcp\b/;

/** The lines of CHANGELOG.md that name a path of the API, by release. Empty if the file was not shipped. */
export function readApiChanges(file = fileURLToPath(new URL('CHANGELOG.md', packageFolder))): Release[] {
  const [, ...releases] = (readIfExists(file) ?? '').split(/^## /m);
  return releases
    .map((release) => {
      const [name = '', ...lines] = release.split('\n');
      const items = lines.join('\n').split(/^- /m).slice(1);
      return { name: name.trim(), changes: items.map(onOneLine).filter((change) => apiPathPattern.test(change)) };
    })
    .filter(({ changes }) => changes.length > 0);
}

const onOneLine = (item: string): string => (item.split(/\n\s*\n/, 1)[0] ?? '').replace(/\s+/g, ' ').trim();

/** The values around the content of every page. */
export type PageFrame = Pick<PageKit, 'root' | 'brand' | 'loginPath' | 'assets'> &
  ReturnType<typeof themeVariables> & { readonly referenceCss: string; readonly referenceJs: string };

const operationLinks = ({ slug, operations }: Section, { root }: PageFrame, isCurrent: boolean) =>
  html`<ul>${operations.map(
    ({ id, method, summary = id }) =>
      html`<li><a href="${isCurrent ? '' : `${root}/docs/${slug}`}#${id}" data-find="${summary}">${methodBadge(method)}<span>${summary}</span></a></li>`,
  )}</ul>`;

function navigation({ sections }: ReferenceDocument, current: Section | undefined, frame: PageFrame): Html {
  return html`<nav class="contents" aria-label="Contents"><details open><summary>Contents</summary>
<input type="search" data-filter aria-label="Find an operation" placeholder="Find" autocomplete="off" hidden>
<ul class="tree"><li><a href="${frame.root}/docs"${!current && html` aria-current="page"`}>Overview</a></li>
${sections.map(
  (section) =>
    html`<li data-section><a href="${frame.root}/docs/${section.slug}"${section === current && html` aria-current="page"`}>${section.name}</a>${
      section === current
        ? operationLinks(section, frame, true)
        : html`<div hidden data-hidden-section>${operationLinks(section, frame, false)}</div>`
    }</li>`,
)}<li><a href="${frame.root}/docs/${changelogSlug}"${current?.slug === changelogSlug && html` aria-current="page"`}>Changelog</a></li></ul></details></nav>`;
}

export const changelogSlug = 'changelog';

function themeForm(currentPath: string, { root, themes, chosen_theme }: PageFrame): Html {
  return html`<form method="post" action="${root}/theme" class="themes" aria-label="Theme" data-themes><input type="hidden" name="next" value="${currentPath}">
${themes.map(({ name }) => html`<button name="theme" value="${name}" aria-pressed="${String(name === chosen_theme)}">${name.charAt(0).toUpperCase() + name.slice(1)}</button>`)}</form>`;
}

/** Not in a template literal: bundlers rewrite literals that end a script, with a package that is missing at run time. */
const scriptTag = (src: string): Html => new Html(`<script type="module" src="${escapeHtml(src)}"></script>`);

function page(described: ReferenceDocument, current: Section | undefined, frame: PageFrame, main: Html): string {
  const { root, brand, assets, theme, loginPath, referenceCss, referenceJs } = frame;
  const currentPath = current ? `/docs/${current.slug}` : '/docs';
  const name = current ? `${current.name} · ` : '';
  return html`<!doctype html>
<html lang="en"${theme !== undefined && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<title>${name}${brand.name} API reference</title>
<link rel="icon" href="${assets.icon}">
<link rel="stylesheet" href="${referenceCss}">
${scriptTag(referenceJs)}
</head>
<body class="reference" data-root="${root}">
<a class="skip" href="#main">Skip to content</a>
<header class="topbar"><div>
<a class="brand" href="${root}/docs"><img src="${assets.logo}" alt="" height="28">${brand.name}</a>
<nav aria-label="Elsewhere"><a href="${root}/openapi.json">OpenAPI document</a> <a href="${root}/settings">Account settings</a> <a href="${root}/admin">Console</a></nav>
</div></header>
<div class="frame">
${navigation(described, current, frame)}
<main id="main">
<div class="session" data-session data-login="${root}${loginPath}?next=${encodeURIComponent(currentPath)}" hidden>
<p data-who></p>
<details class="more"><summary>Use another token</summary><form class="field" data-own><label for="own-token">Access token</label><input id="own-token" type="password" autocomplete="off"><p class="hint">It stays in this tab, and is forgotten with it.</p></form></details>
</div>
${main}
</main>
</div>
<footer class="foot">${themeForm(currentPath, frame)}</footer>
</body>
</html>
`.text;
}

export function overviewPage(described: ReferenceDocument, frame: PageFrame): string {
  const sections = described.sections.map(
    (
      section,
    ) => html`<section class="entry" aria-labelledby="section-${section.slug}"><h2 id="section-${section.slug}"><a href="${frame.root}/docs/${section.slug}">${section.name}</a></h2>
<p class="quiet">${inlineMarkdown(section.description)}</p>${operationLinks(section, frame, false)}</section>`,
  );
  const main = html`<div class="page-head"><div><h1>${described.title} API</h1><p><code>${described.server}</code></p></div></div>
<div class="prose">${paragraphs(described.introduction)}</div>
<div class="entries">${sections}</div>`;
  return page(described, undefined, frame, main);
}

export function sectionPage(described: ReferenceDocument, section: Section, frame: PageFrame): string {
  const sent = sentNames(section.operations);
  const schemas = schemasOf(section.operations, described.schemas);
  const main = html`<div class="page-head"><div><h1>${section.name}</h1><p>${inlineMarkdown(section.description)}</p></div></div>
${section.operations.map((operation) => operationHtml(operation, described))}
${schemas.length > 0 && html`<section class="schemas" aria-labelledby="objects"><h2 id="objects">Objects</h2>${schemas.map(([name, schema]) => schemaTable(name, schema, sent.has(name)))}</section>`}`;
  return page(described, section, frame, main);
}

/** The changes of the API, release by release. */
export function changelogPage(described: ReferenceDocument, releases: readonly Release[], frame: PageFrame): string {
  const section: Section = { name: 'Changelog', slug: changelogSlug, description: '', operations: [] };
  const main = html`<div class="page-head"><div><h1>Changelog</h1><p>What changed in the API, newest first.</p></div></div>
${releases.map(({ name, changes }) => html`<section class="prose"><h2>${name}</h2><ul>${changes.map((change) => html`<li>${inlineMarkdown(change)}</li>`)}</ul></section>`)}`;
  return page(described, section, frame, main);
}
