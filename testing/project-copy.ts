import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROJECT_ROOT } from './project-root.ts';

// Untyped: a script that runs before there is a build.
const { SOURCES } = (await import(pathToFileURL(join(PROJECT_ROOT, 'tools/built.mjs')).href)) as {
  readonly SOURCES: readonly string[];
};

/** Makes this folder a copy of the project with its build, and with the packages of the project. */
export function copyBuiltProject(folder: string): void {
  for (const part of [...SOURCES, '.node-version', 'build']) {
    cpSync(join(PROJECT_ROOT, part), join(folder, part), {
      recursive: true,
      // The tests' other Nodes and a packed archive are no part of the build.
      filter: (path) => !/\.lock$|\/build\/nodes$|\.tar\.gz$/.test(path),
    });
  }
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'));
}
