import { createRsbuild } from '@rsbuild/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { boardBuild, GALLERY } from '../../rsbuild.config.ts';
import PAGES from '../../page/pages.json' with { type: 'json' };
import { PROJECT_ROOT } from '../project-root.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of a build that has pages of tests beside the product's: the gallery, and two boards in one script. */
    testPages: string;
  }
}

const TWO_BOARDS = { file: 'two-boards', folder: 'tests/browser/two-boards' };

/** Builds the variant of the screens that no user gets, with the pages of tests. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'triagem-screen-'));
  const screens = boardBuild({ outputFolder: folder, pages: [...PAGES, TWO_BOARDS, GALLERY] });
  const config = { ...screens, mode: 'production', logLevel: 'error' } as const;
  const rsbuild = await createRsbuild({ cwd: PROJECT_ROOT, config });
  const { close } = await rsbuild.build();
  await close();
  project.provide('testPages', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
