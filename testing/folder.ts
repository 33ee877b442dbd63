import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { closeOnce } from './close-once.ts';

/** A folder of a test's own, gone with it, which holds these files from the beginning: path → content. */
export function makeTestFolder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'triagem-test-'));
  // As root, PostgreSQL runs as another account, which must get in.
  chmodSync(folder, 0o755);
  closeOnce(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}
