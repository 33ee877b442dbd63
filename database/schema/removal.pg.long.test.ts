import { expect, test } from 'vitest';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { insertTickets } from '../../testing/database/database.ts';
import { readRecipe } from '../../testing/gates/recipes.ts';

test('docs/install.md removes what is ours from a database, and leaves the tickets', async () => {
  const cluster = await startTestCluster();
  const { admin, gates } = cluster.database;
  await insertTickets(gates, [{ id: 'a', setor: '4', entrou: true }]);
  await admin.unsafe(readRecipe('remove', {}, 'docs/install.md'));
  const left = await admin`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    union all select rolname from pg_roles where rolname in ('triagem_observer', 'triagem_gates', 'triagem_record')
    union all select nspname from pg_namespace where nspname like 'triagem%'
    union all select pubname from pg_publication
    order by 1`;
  expect(left.map(({ name }) => name as unknown)).toEqual(['events', 'sectors', 'tickets']);
  expect(await admin`update tickets set entrou = false returning id`).toHaveLength(1);
  await cluster.stop();
});
