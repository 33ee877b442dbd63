import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { titleLines } from './title-lines.ts';

/** The page as it is served, and the name of its build: another build has another name. */
export interface Page {
  readonly html: string;
  readonly buildId: string;
  /** Content-Security-Policy sources of the scripts that stand in the page: `'sha256-…'`. */
  readonly inlineScripts: readonly string[];
}

export interface PageValues {
  readonly title: string;
  readonly eventId: string;
  /** The badge's word, or nothing. */
  readonly demonstration: string;
}

/** Fills the built page. Its scripts carry hashes in their names, so its own hash stands for all of it. */
export function loadPage(webRoot: string, values: PageValues): Page {
  const template = readFileSync(join(webRoot, 'index.html'), 'utf8');
  const buildId = createHash('sha256').update(template).digest('hex').slice(0, 12);
  const fill: Record<string, string> = {
    ...values,
    titleLines: String(titleLines(values.title)),
    build: buildId,
  };
  const html = template.replaceAll(/\{\{(\w+)\}\}/g, (token, name: string) =>
    escapeHtml(fill[name] ?? token),
  );
  return { html, buildId, inlineScripts: hashInlineScripts(html) };
}

function hashInlineScripts(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
