import { expect, test } from 'vitest';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { cancel } from './cancel.ts';
import { importTickets } from './import.ts';
import { shutSilently } from '../../testing/gates/gates-listener.ts';

const tool = useGatesTool();
const { run, file, csv, tickets } = tool;

/** A file has the same name as the one that brought the tickets: it is written after that. */
async function printedBy(given: string[] | ((path: typeof file) => string)): Promise<string> {
  await run(importTickets, csv('a,1,0,4', 'b,1,1,4', 'c,0,0,9', 'd,1,0,9'));
  const before = tool.stdout.length;
  const args = Array.isArray(given) ? given : [given(file), '--yes'];
  const exitCode = await run(cancel, ...args);
  const printed = tool.stdout.slice(before);
  // A job notices that some are not of this event.
  expect(exitCode).toBe(printed.includes('not of this event') ? 1 : 0);
  return printed;
}

const AFTER = ['event|a|f|f|4', 'event|b|f|t|4', 'event|c|f|f|9', 'event|d|t|f|9'];
const PRINTED =
  '2 marked as not valid, 1 of which have entered\n1 not valid already\n1 not of this event: "x"\n';

test.each([
  ['a column of ids among others', 'Nome;Código;Válido\nAna;a;?\nRui;b;\n;c;\n;x;\n;a;\n'],
  ['a list of ids', 'a\nb\nc\nx\n'],
  ['a list of ids below a name', 'Ingresso\na\nb\nc\nx\n'],
])('%s is cancelled, and what has entered stays so', async (_name, content) => {
  expect(await printedBy((path) => path(content))).toBe(PRINTED);
  expect(await tickets()).toEqual(AFTER);
});

test('a list below a name that is not known has one id more, which is named', async () => {
  expect(await printedBy((path) => path('Localizador\na\n'))).toBe(
    '1 marked as not valid\n0 not valid already\n1 not of this event: "Localizador"\n',
  );
});

test('a ticket that a trigger leaves as it is, or out, is no gate that works: nothing is changed, at once', async () => {
  await run(importTickets, csv('a,1,0,4', 'b,1,1,4'));
  await shutSilently(tool.database, 'a%');
  const why = /^A trigger of the database does not let a ticket be changed, and raises no error\./;
  await expect(run(cancel, '--id', 'a', '--id', 'b', '--yes')).rejects.toThrow(why);
  await expect(run(importTickets, csv('a,0,0,4'), '--update')).rejects.toThrow(why);
  await expect(run(importTickets, csv('ab,1,0,4', 'c,1,0,4'))).rejects.toThrow(why);
  expect(await tickets()).toEqual(['event|a|t|f|4', 'event|b|t|t|4']);
});

test('a ticket that a trigger makes valid again is not said to be cancelled', async () => {
  await run(importTickets, csv('a,1,0,4', 'b,1,1,4'));
  await tool.database.admin.unsafe(`
    create function keep() returns trigger language plpgsql as $$ begin new.is_valid_ticket = true; return new; end $$;
    create trigger keep before update on tickets for each row execute function keep()`);
  await expect(run(cancel, '--id', 'a', '--yes')).rejects.toThrow(/^A trigger of the database does not let/);
  expect(await tickets()).toEqual(['event|a|t|f|4', 'event|b|t|t|4']);
  await tool.database.admin`drop trigger keep on tickets`;
});

test('an id of the event is not taken for the name of a column', async () => {
  await run(importTickets, csv('a,1,0,4', 'b,1,1,4'));
  const path = file('a;Estorno\nb;Estorno\n');
  await expect(run(cancel, path, '--yes')).rejects.toThrow(
    /Is line 1 a ticket itself\? Then put a header above it, as "id;…"\. Else say which is which: --column id="NAME"\./,
  );
  await expect(run(cancel, path, '--column', 'id=a', '--yes')).rejects.toThrow(
    /this file has no header, as "a" is a ticket of the event: put one above, as "id;…"\. Nothing was changed\.$/,
  );
  expect(await tickets()).toEqual(['event|a|t|f|4', 'event|b|t|t|4']);
});

test('--id names tickets', async () => {
  expect(await printedBy(['--id', 'a', '--id=b', '--id', 'c', '--id', 'x', '--yes'])).toBe(PRINTED);
  expect(await tickets()).toEqual(AFTER);
});

test('--dry-run prints all changes, and makes none', async () => {
  expect(await printedBy(['--id', 'a', '--dry-run'])).toBe(
    '1 would be marked as not valid\n0 not valid already\nNothing was changed (--dry-run).\n',
  );
  expect((await tickets())[0]).toBe('event|a|t|f|4');
});

test('what would cancel nothing is refused, and so is what nobody can be asked', async () => {
  await expect(run(cancel, '--id', 'a')).rejects.toThrow(/needs --yes/);
  await expect(run(cancel, '--yes')).rejects.toThrow(/FILE is missing/);
  await expect(run(cancel, '--id', 'x', '--yes')).rejects.toThrow(
    /has none of these tickets: "x": is it the right event\? Nothing was changed\.$/,
  );
  await expect(run(cancel, file(''), '--yes')).rejects.toThrow(/the file is empty/);
});
