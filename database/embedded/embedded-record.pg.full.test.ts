import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeOnce } from '../../testing/close-once.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { withConnection } from '../with-connection.ts';
import { startEmbeddedDatabase, type EmbeddedDatabase } from './embedded-database.ts';

test('without a record it makes none; what an earlier start recorded stays', async () => {
  const recordIn = async ({ adminUrl }: EmbeddedDatabase): Promise<unknown> =>
    withConnection(adminUrl, async (sql) => {
      const [found] = await sql`
        select exists (select from pg_namespace where nspname = 'triagem') as schema,
          exists (select from pg_roles where rolname = 'triagem_record') as role`;
      return found;
    });
  const folder = makeTestFolder();
  const start = async (hasRecord: boolean): Promise<EmbeddedDatabase> => {
    const database = await startEmbeddedDatabase({ dataDir: folder, port: 0, log: () => {}, hasRecord });
    closeOnce(() => database.stop());
    return database;
  };
  const announced = (): unknown => JSON.parse(readFileSync(join(folder, 'gates.json'), 'utf8'));
  const bare = await start(false);
  expect(await recordIn(bare)).toEqual({ schema: false, role: false });
  expect(announced()).not.toHaveProperty('recordUrl');
  await bare.stop();
  const recording = await start(true);
  expect(announced()).toMatchObject({ recordUrl: recording.recordUrl });
  await recording.stop();
  const later = await start(false);
  expect(await recordIn(later)).toEqual({ schema: true, role: true });
  expect(announced()).toMatchObject({ recordUrl: later.recordUrl });
});
