import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ShownVenue } from '../../domain/shown-venue.ts';
import { type ContentSecurityPolicy, formatPolicy } from './content-security-policy.ts';
import { titleLines } from './title-lines.ts';

/** A page of the built screen, and where it is served. */
export interface PageDefinition {
  /** Its file in the folder of the built screen. */
  readonly file: string;
  /** Its path: `/` or `/name`. */
  readonly route: string;
  readonly title: string;
  /** The values of the placeholders in its file, by name; the title and those of the venue are added. */
  readonly values: Readonly<Record<string, string>>;
  /** Directives in which it differs from the strict policy of every page. */
  readonly policy?: ContentSecurityPolicy;
}

/** A page as it is served. */
export interface Page {
  readonly route: string;
  readonly html: string;
  /** Its Content-Security-Policy. */
  readonly policy: string;
}

export interface Pages {
  /** Differs from build to build, and from venue to venue. */
  readonly buildId: string;
  /** The policy of the first page also applies to every answer that is not a page. */
  readonly list: readonly Page[];
}

/** The built pages before their placeholders are filled, by file name. */
export type PageTemplates = ReadonlyMap<string, string>;

export function readTemplates(webRoot: string, files: readonly string[]): PageTemplates {
  return new Map(files.map((file) => [file, readFileSync(join(webRoot, file), 'utf8')]));
}

export function loadPages(
  webRoot: string,
  definitions: readonly PageDefinition[],
  venue?: ShownVenue,
): Pages {
  const files = definitions.map(({ file }) => file);
  return fillPages(readTemplates(webRoot, files), definitions, venue);
}

/**
 * Fills the built pages, each when it is first requested. The build ID is a hash of the pages, which refer to their
 * scripts by hashes, and of the venue's ID: it changes with anything that a page may display. `venue`: `undefined` stands
 * for the venue that is part of the pages' code.
 */
export function fillPages(
  templates: PageTemplates,
  definitions: readonly PageDefinition[],
  venue?: ShownVenue,
): Pages {
  const templateOf = ({ file }: PageDefinition): string => templates.get(file) ?? '';
  const parts = [...definitions.map(templateOf), ...(venue ? [venue.venueId] : [])];
  const buildId = createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 12);
  const list = definitions.map((definition): Page => {
    let filled: FilledPage | undefined;
    const fill = (): FilledPage => (filled ??= fillPage(definition, templateOf(definition), buildId, venue));
    return {
      route: definition.route,
      get html() {
        return fill().html;
      },
      get policy() {
        return fill().policy;
      },
    };
  });
  return { buildId, list };
}

type FilledPage = Pick<Page, 'html' | 'policy'>;

function fillPage(
  { title, values, policy }: PageDefinition,
  template: string,
  build: string,
  venue: ShownVenue | undefined,
): FilledPage {
  const lines = String(titleLines(title));
  const rows = venue?.layout.rows ?? '';
  const fill: Record<string, string> = { ...values, title, titleLines: lines, rows, build };
  const filled = template.replaceAll(/\{\{(\w+)\}\}/g, (token, name: string) =>
    escapeHtml(fill[name] ?? token),
  );
  const style = venue && `:root{${venue.layout.style}}`;
  const html = style ? filled.replace('</head>', `<style>${style}</style></head>`) : filled;
  const hashes = { scripts: inlineScripts(html).map(hashSource), styles: style ? [hashSource(style)] : [] };
  return { html, policy: formatPolicy(hashes, policy) };
}

function inlineScripts(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(([, text = '']) => text);
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
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
