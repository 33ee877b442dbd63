import { expect, test } from 'vitest';
import { copyMark } from '../../../domain/connection-marks.ts';
import { closeOnce } from '../../../testing/close-once.ts';
import { createTestDatabase } from '../../../testing/database/database.ts';
import { OBSERVING_LIMITS } from './limits.ts';
import { SubscriptionWatch } from './subscription-watch.ts';

test('another database of the right server is named, where tables are copied that it does not publish, and another server', async () => {
  const [theirs, other] = [await createTestDatabase(), await createTestDatabase()];
  const slot = `slot_${theirs.name}`;
  await theirs.admin`select pg_create_logical_replication_slot(${slot}, 'pgoutput')`;
  closeOnce(() => theirs.admin`select pg_drop_replication_slot(${slot})`);
  const copied = {
    name: 'public.ticket',
    comment: copyMark('alf.io'),
    isFollowed: true,
    columns: { id: 'integer' },
  };
  const causeAt = async (url: string, copies = [copied]): Promise<string | undefined> => {
    const watch = new SubscriptionWatch({ url, unwatched: [] }, OBSERVING_LIMITS);
    closeOnce(() => watch.end());
    watch.assertCopied([
      {
        id: 1,
        name: 'ingressos',
        slot,
        isEnabled: true,
        origin: 'any',
        tables: 1,
        readyTables: 1,
        worker: 7,
        lastMessageAt: '1',
        silentMs: 0,
        receiverTimeoutMs: 60_000,
        publications: ['none'],
        comment: null,
        copies,
      },
    ]);
    await watch.look();
    const readAtMs = performance.now();
    watch.judge({ databaseMs: Date.now(), readAtMs, answeredAtMs: readAtMs });
    expect(watch.isBroken).toBe(true);
    return watch.cause;
  };
  expect(await causeAt(other.adminUrl)).toBe(
    `The subscription "ingressos": SOURCE_DATABASE_URL names the database "${other.name}", and the subscription copies from "${theirs.name}" of the same server: name that one`,
  );
  expect(await causeAt(theirs.adminUrl)).toMatch(/has changed: the table public\.ticket is not published/);
  expect(await causeAt(theirs.adminUrl, [])).toMatch(
    /^The worker of the subscription "ingressos" reads another server than SOURCE_DATABASE_URL names, where nobody uses/,
  );
});
