import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeOwnedFile, type DataFolder } from './data-folder.ts';
import { DatabaseSetupError, errorCode, explainFolderError } from '../setup-error.ts';

const NAMES = ['superuser', 'owner', 'observer', 'gates', 'dashboardKey', 'sessionSecret'] as const;

/** Passwords of the four roles, and what the dashboard signs in and seals its sessions with. URL-safe text. */
export type Secrets = Readonly<Record<(typeof NAMES)[number], string>>;

/** Reads `secrets.json` of the data folder, or makes it (mode 600) when there is no database yet. */
export async function openSecrets({ folder, cluster }: DataFolder): Promise<Secrets> {
  const path = join(folder, 'secrets.json');
  try {
    return parse(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw explainFolderError(error, folder);
  }
  if (existsSync(cluster)) {
    throw new DatabaseSetupError(
      `${path} is missing, and with it the passwords of the database in ${cluster}.`,
      `Put the file back from a backup; or, if the tickets may be lost, remove ${cluster} and start again.`,
    );
  }
  const secrets = Object.fromEntries(
    NAMES.map((name) => [name, randomBytes(24).toString('base64url')]),
  ) as Secrets;
  await writeOwnedFile(path, `${JSON.stringify(secrets, undefined, 2)}\n`, 0o600);
  return secrets;
}

function parse(text: string, path: string): Secrets {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const record = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const missing = NAMES.filter((name) => typeof record[name] !== 'string' || record[name] === '');
  if (missing.length === 0) return record as Secrets;
  throw new DatabaseSetupError(
    `${path} is damaged: it has no ${missing.join(', ')}.`,
    'Put the file back from a backup; or, if the tickets may be lost, remove the whole folder it is in.',
  );
}
