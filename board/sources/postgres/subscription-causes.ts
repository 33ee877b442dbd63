import { FIX_OF_UNFLUSHED } from './flush-log.ts';
import { quoteIdentifier } from '../../../database/with-connection.ts';
import { howToComplete, howToCopyAnew } from './copied-tables.ts';
import { COPY_ANEW } from './source-comparison.ts';
import type { Subscription } from './subscriptions.ts';

// For the operator: the cause why the database lacks what a source has, and the fix.

/** The value of the option `origin` with which nothing is left out. */
export const ALL_ORIGINS = 'any';

export const NO_SUBSCRIPTION =
  'SOURCE_DATABASE_URL is set, and no subscription of this database brings tickets: create it ("npm run -s gates -- connect" does, for a ticketing system), or leave the setting out';

export function isCopying(subscription: Subscription): string {
  const { name, isEnabled, tables, readyTables } = subscription;
  const quoted = quoteIdentifier(name);
  let fix = 'wait; if it stays so, the log of PostgreSQL has the reason';
  if (!isEnabled) fix = `it is disabled: ${howToEnable(subscription)}`;
  else if (tables === 0) fix = `ALTER SUBSCRIPTION ${quoted} REFRESH PUBLICATION, or drop it`;
  return `The subscription ${quoted} has copied ${readyTables} of its ${tables} tables: ${fix}`;
}

export function isDisabled(subscription: Subscription): string {
  return `${named(subscription)} is disabled: ${howToEnable(subscription)}`;
}

export function leavesOut(subscription: Subscription): string {
  const { name, origin, copies } = subscription;
  const alter = `ALTER SUBSCRIPTION ${quoteIdentifier(name)} SET (origin = ${ALL_ORIGINS})`;
  const then = copies.length > 0 ? '' : ', and copy again what it left out';
  return `${named(subscription)} leaves out what its source got by replication (origin = ${origin}): ${alter}${then}`;
}

export function hasChanged({ name }: Subscription, change: string): string {
  return `The source of the subscription ${quoteIdentifier(name)} has changed: ${change}`;
}

export function lacksCommits(subscription: Subscription, loss: string): string {
  const fix = subscription.copies.length > 0 ? COPY_ANEW : 'make the subscription anew (docs/gates.md)';
  return `${named(subscription)} lacks commits: ${loss}; ${fix}`;
}

/** `fix` is undefined where the server that it copies from is to be named first. */
export function cannotCompare(subscription: Subscription, why: string, fix: string | undefined): string {
  const or = fix === undefined ? '' : `; name the server that it copies from, or ${fix}`;
  return `${named(subscription)}: ${why}: without it the copied tables cannot be compared with their source${or}`;
}

export function isFailing({ name, copies }: Subscription): string {
  const fix = howToCopyAnew(copies);
  const or = fix === undefined ? '' : `; if it stays so, ${fix}`;
  return `The worker of the subscription ${quoteIdentifier(name)} does not run, or fails at each start: the log of PostgreSQL has the reason${or}`;
}

export function isSilent(subscription: Subscription): string {
  return `${named(subscription)} has received nothing for too long: its source stands still, the way there is cut, or its worker waits for a lock`;
}

export function readsAnotherServer({ name, copies }: Subscription): string {
  const fix = howToCopyAnew(copies) ?? 'ALTER SUBSCRIPTION names another in its CONNECTION';
  return `The worker of the subscription ${quoteIdentifier(name)} reads another server than SOURCE_DATABASE_URL names, where nobody uses its slot: name the one that it reads, or ${fix}`;
}

export function isBehind(subscription: Subscription): string {
  return `${named(subscription)} is behind its source: a large commit is being applied, or something that it waits for is locked. It goes on by itself`;
}

export function isUnflushed(subscription: Subscription): string {
  return `${named(subscription)}: its source has not flushed what was committed, and sends none of it: ${FIX_OF_UNFLUSHED}`;
}

/** Whatever else a subscription lacks follows from a source that does not answer. */
export function cannotBeAsked({ name }: Subscription, fault: string): string {
  return `The source of the subscription ${quoteIdentifier(name)} cannot be asked how far it is: ${fault}`;
}

/** "The subscription “ingressos”" */
export function named({ name }: Subscription): string {
  return `The subscription ${quoteIdentifier(name)}`;
}

function howToEnable({ name, copies }: Subscription): string {
  const completing = howToComplete(copies);
  if (completing !== undefined) return completing;
  return `ALTER SUBSCRIPTION ${quoteIdentifier(name)} ENABLE, or name it in UNWATCHED_SUBSCRIPTIONS if it brings nothing that counts`;
}
