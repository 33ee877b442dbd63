import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import postgres from 'postgres';
import { closeOnce } from '../close-once.ts';
import type { TestDatabase } from '../database/database.ts';

/** Opens connections for several gates, with the role of a ticketing system, which may write these tables only. */
export async function openVendor(
  { admin, adminUrl }: Pick<TestDatabase, 'admin' | 'adminUrl'>,
  tables: string,
): Promise<{ vendor: postgres.Sql; vendorUrl: string }> {
  const role = `bilheteria_${randomBytes(4).toString('hex')}`;
  await admin.unsafe(`
    create role ${role} login password '${role}';
    grant select, insert, update, delete, truncate on ${tables} to ${role}`);
  const vendorUrl = Object.assign(new URL(adminUrl), { username: role, password: role }).href;
  const vendor = postgres(vendorUrl, { max: 6, onnotice: () => {} });
  closeOnce(async () => {
    await vendor.end({ timeout: 1 });
    await admin.unsafe(`drop owned by ${role}; drop role ${role}`);
  });
  return { vendor, vendorUrl };
}

/** Makes the cluster of a test admit every role with a password, as an ordinary server does. */
export async function admitByPassword(admin: postgres.Sql): Promise<void> {
  const [{ file }] = await admin<[{ file: string }]>`select current_setting('hba_file') as file`;
  appendFileSync(file, 'host all all 127.0.0.1/32 scram-sha-256\n');
  await admin`select pg_reload_conf()`;
}
