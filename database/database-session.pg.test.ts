import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/database/database.ts';
import { closeOnce } from '../testing/close-once.ts';
import { openSession } from './database-session.ts';

test('a session is as this program needs it, whatever the database sets, and ends soon where its client is cut off', async () => {
  const { admin, adminUrl, name } = await createTestDatabase();
  await admin.unsafe(`alter database ${name} set default_transaction_isolation = 'serializable'`);
  const session = openSession(adminUrl, {});
  closeOnce(() => session.end());
  const [set] = await session.sql`
    select current_setting('transaction_isolation') as isolation, current_setting('tcp_keepalives_idle') as idle,
      current_setting('tcp_keepalives_interval') as every, current_setting('tcp_keepalives_count') as count,
      current_setting('tcp_user_timeout') as unacknowledged`;
  expect(set).toEqual({
    isolation: 'read committed',
    idle: '10',
    every: '5',
    count: '4',
    unacknowledged: '30000',
  });
});
