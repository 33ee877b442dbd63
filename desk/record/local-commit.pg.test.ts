import { expect, test } from 'vitest';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { newEventId } from '../../testing/database/database.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { openTestRecord, someMinutes } from '../../testing/desk/record.ts';
import { until } from '../../testing/until.ts';

test('the record waits for the disk, and not for a synchronous standby that is away', async () => {
  const { admin, recordUrl } = (await startTestCluster()).database;
  await admin.unsafe(`
    alter role ${new URL(recordUrl).username} set synchronous_commit = off;
    create table commits (way text);
    create function note() returns trigger security definer language plpgsql as $$
      begin insert into public.commits values (current_setting('synchronous_commit')); return new; end $$;
    create trigger note before insert on triagem.log for each row execute function public.note()`);
  await admin`alter system set synchronous_standby_names = 'absent'`;
  await admin`select pg_reload_conf()`;
  const { record } = openTestRecord({ url: recordUrl, eventId: newEventId() });
  await until(() => expect(record.state.kind).toBe('writer'));
  record.writeMinutes(someMinutes(0, 3));
  expect(await record.append(occurrence('a'))).toMatchObject({ id: 'a', seq: 1 });
  await until(() => expect(record.minutesWaiting).toBe(0));
  expect(record.state.kind).toBe('writer');
  expect(await admin`select way from commits`).toEqual([{ way: 'local' }]);
});
