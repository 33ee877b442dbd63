import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeOwnedFile, type DataFolder } from './data-folder.ts';
import { DatabaseSetupError, errorCode, explainFolderError } from '../setup-error.ts';

const NAMES = ['superuser', 'owner', 'observer', 'gates', 'dashboardKey', 'sessionSecret'] as const;

type KeptSecrets = Readonly<Record<(typeof NAMES)[number], string>>;

/** Passwords of the five roles, and what the dashboard signs in and seals its sessions with. URL-safe text. */
export type Secrets = KeptSecrets & { readonly record: string };

/** Reads `secrets.json` of the data folder, or makes it (mode 600) when there is no database yet. */
export async function openSecrets({
  folder,
  cluster,
}: Pick<DataFolder, 'folder' | 'cluster'>): Promise<Secrets> {
  const path = join(folder, 'secrets.json');
  try {
    return withRecord(parse(await readFile(path, 'utf8'), path));
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
  ) as KeptSecrets;
  await writeOwnedFile(path, `${JSON.stringify(secrets, undefined, 2)}\n`, 0o600);
  return withRecord(secrets);
}

/** It is derived, so that the file of an earlier version, or a backup of it, is complete. */
function withRecord(secrets: KeptSecrets): Secrets {
  return { ...secrets, record: createHmac('sha256', secrets.owner).update('record').digest('base64url') };
}

function parse(text: string, path: string): KeptSecrets {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const record = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const missing = NAMES.filter((name) => typeof record[name] !== 'string' || record[name] === '');
  if (missing.length === 0) return record as KeptSecrets;
  throw new DatabaseSetupError(
    `${path} is damaged: it has no ${missing.join(', ')}.`,
    'Put the file back from a backup; or, if the tickets may be lost, remove the whole folder it is in.',
  );
}
