import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { closeOnce } from '../../../testing/close-once.ts';
import { createTestDatabase } from '../../../testing/database/database.ts';
import { prepareCatalogue } from './catalogue.ts';
import { OBSERVING_LIMITS } from './limits.ts';
import { closeLink, openLink } from './observing-link.ts';
import { readSnapshot } from './snapshot.ts';

test.each([
  ['tickets', 'alter table tickets add column mark uuid default gen_random_uuid()'],
  [
    'tickets',
    `create temporary table kept as select * from tickets; truncate tickets; insert into tickets select * from kept`,
  ],
  ['sectors', 'alter table sectors add column mark uuid default gen_random_uuid()'],
])(
  '%s that are rewritten after the snapshot and before they are read are refused: %s',
  async (table, rewriting) => {
    const { admin, observerUrl } = await createTestDatabase();
    await admin`insert into tickets values (${DEFAULT_EVENT_ID}, 't1', true, false, '4'), (${DEFAULT_EVENT_ID}, 't2', true, true, '5')`;
    const link = openLink(observerUrl, { eventId: undefined, limits: OBSERVING_LIMITS });
    closeOnce(() => closeLink(link));
    const { sql } = link.session;
    await prepareCatalogue(sql);
    const read = async (meanwhile: string) => {
      const [slot] = await link.replication.sql.unsafe<[{ snapshot_name: string }]>(
        `CREATE_REPLICATION_SLOT s${randomBytes(6).toString('hex')} TEMPORARY LOGICAL pgoutput EXPORT_SNAPSHOT`,
      );
      await admin.unsafe(meanwhile);
      return readSnapshot(
        sql,
        { name: slot.snapshot_name, position: '', takenAtMs: 0 },
        { eventId: undefined, knownCodes: [] },
      );
    };
    const { snapshot } = await read('update tickets set setor = setor');
    expect(snapshot.groups.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    await expect(read(rewriting)).rejects.toThrow(`the table public.${table} was truncated or rewritten`);
  },
);
