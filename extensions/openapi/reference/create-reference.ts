import { notFound } from '../../../src/platform/errors.ts';
import { readDocument } from './reference-document.ts';
import {
  changelogPage,
  changelogSlug,
  overviewPage,
  type PageFrame,
  readApiChanges,
  sectionPage,
} from './reference-html.ts';

/** Returns a function that writes the page of a section, or the overview, as HTML. */
export function createReference(openApi: object): (slug: string | undefined, frame: PageFrame) => string {
  const described = readDocument(openApi);
  return (slug, frame) => {
    if (slug === undefined) return overviewPage(described, frame);
    const section = described.sections.find((one) => one.slug === slug);
    if (section) return sectionPage(described, section, frame);
    if (slug === changelogSlug) return changelogPage(described, readApiChanges(), frame);
    throw notFound();
  };
}
