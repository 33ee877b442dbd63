import { describe, expect, test } from 'vitest';
import { readHostAnswer } from './host-answer.ts';
import {
  choosePrimary,
  describeOthers,
  findRetiring,
  type HostReport,
  type ServerReport,
} from './primary-choice.ts';
import { KnownTimelines } from '../../domain/known-timelines.ts';

const A = { host: 'a:5432', systemId: '7', timeline: 1, startedAt: 'monday' };
const B = { host: 'b:5432', systemId: '7', timeline: 1, startedAt: 'tuesday' };

function primary(change: Partial<ServerReport> = {}): ServerReport {
  return { kind: 'primary', ...A, ...change };
}

function standby(change: Partial<ServerReport> = {}): ServerReport {
  return { kind: 'standby', ...B, ...change };
}

function unavailable(host: string, shouldRetry = true): HostReport {
  return { kind: 'unavailable', host, reason: 'does not answer', shouldRetry };
}

describe('the primary', () => {
  test.each<[string, readonly HostReport[], string]>([
    ['beside its standby', [standby(), primary()], 'a:5432'],
    ['alone', [primary(), unavailable('b:5432')], 'a:5432'],
    ['of the higher timeline', [primary(), primary({ ...B, timeline: 2 })], 'b:5432'],
    ['under two names of one server', [primary(), primary({ host: 'alias:5432' })], 'a:5432'],
    ['beside another system, of the one that was used', [primary({ systemId: '8' }), primary(B)], 'b:5432'],
  ])('%s', (_what, reports, host) => {
    expect(choosePrimary(reports, { followed: '7' })).toMatchObject({ primary: { host } });
  });

  test('of the system that was used, also while hosts of others are missing', () => {
    const reports = [primary(), standby({ systemId: '8' }), unavailable('c:5432')];
    expect(choosePrimary(reports, { followed: '7' })).toMatchObject({ primary: { host: 'a:5432' } });
    expect(choosePrimary([standby(), primary({ systemId: '8' })], { followed: '7' })).toMatchObject({
      cause: 'names no host that is the primary: b:5432 is a standby; a:5432 is a primary',
    });
    expect(choosePrimary([unavailable('a:5432')], { followed: '7' })).toMatchObject({
      cause: 'names no host that is the primary: a:5432 does not answer',
    });
  });

  test('of another system, once all hosts have answered and none is of the one that was used', () => {
    expect(
      choosePrimary([primary({ systemId: '8' }), standby({ systemId: '8' })], { followed: '7' }),
    ).toMatchObject({
      primary: { host: 'a:5432' },
    });
  });
});

describe('no primary', () => {
  test.each<[string, readonly HostReport[], object]>([
    [
      'standbys only: somebody has to promote one',
      [standby(A), standby(B)],
      {
        cause: 'names no host that is the primary: a:5432 is a standby; b:5432 is a standby',
        fix: 'promote a standby, or name the primary, too',
        shouldRetry: false,
        awaitsPromotion: true,
      },
    ],
    [
      'a standby, and a host that may come back',
      [unavailable('a:5432'), standby()],
      {
        cause: 'names no host that is the primary: a:5432 does not answer; b:5432 is a standby',
        shouldRetry: true,
        awaitsPromotion: true,
      },
    ],
    [
      'a former primary, whose standby has followed another one',
      [primary(), standby({ timeline: 2 })],
      {
        cause: 'names no host that is the primary: a:5432 is a former primary; b:5432 is a standby',
        shouldRetry: false,
      },
    ],
    [
      'nobody there',
      [unavailable('a:5432'), unavailable('b:5432')],
      { shouldRetry: true, awaitsPromotion: false, fix: 'start PostgreSQL, or correct hosts and ports' },
    ],
    ['nobody there who may come by himself', [unavailable('a:5432', false)], { shouldRetry: false }],
    [
      'two of one timeline',
      [primary(), primary(B)],
      {
        cause: 'names two primaries of one timeline: a:5432; b:5432',
        fix: 'stop the one that is not to count',
        shouldRetry: true,
        awaitsPromotion: false,
      },
    ],
    [
      'two systems',
      [primary(), standby({ systemId: '8' })],
      {
        cause:
          'names hosts of different databases (a:5432 has the system identifier 7; b:5432 has the system identifier 8)',
        fix: 'name one primary and its standbys',
        shouldRetry: false,
        awaitsPromotion: true,
      },
    ],
  ])('%s', (_what, reports, why) => {
    expect(choosePrimary(reports)).toMatchObject(why);
  });

  test('another system than was used, while a host is missing', () => {
    expect(
      choosePrimary([primary({ systemId: '8' }), unavailable('b:5432')], { followed: '7' }),
    ).toMatchObject({
      cause: 'leads to another database than before: a:5432 is a primary; b:5432 does not answer',
      fix: 'start the hosts that are missing, or restart Triagem to take this one',
      shouldRetry: true,
    });
  });
});

test('a former primary is none, also while the present one is unavailable', () => {
  const known = new KnownTimelines();
  const leading = primary({ ...B, timeline: 2 });
  expect(choosePrimary([primary(), leading], { known })).toMatchObject({ primary: { host: 'b:5432' } });
  expect(choosePrimary([primary(), unavailable('b:5432')], { known })).toMatchObject({
    cause: 'names no host that is the primary: a:5432 is a former primary; b:5432 does not answer',
    fix: 'start the host that leads, or go back to the former one on purpose: `npm run return`',
    shouldRetry: true,
  });
  expect(choosePrimary([primary(), leading], { known })).toMatchObject({ primary: { host: 'b:5432' } });
  // Of another system, nothing is known.
  expect(choosePrimary([primary({ systemId: '8' })], { known })).toMatchObject({
    primary: { host: 'a:5432' },
  });
});

describe('while one is in use', () => {
  test('a later timeline of its system retires it, of a standby, too', () => {
    expect(findRetiring([primary(), standby()], A)).toBeUndefined();
    expect(findRetiring([primary(), primary({ ...B, timeline: 2 })], A)).toMatchObject({ host: 'b:5432' });
    expect(findRetiring([unavailable('a:5432'), standby({ timeline: 2 })], A)).toMatchObject({
      host: 'b:5432',
    });
    expect(findRetiring([primary({ ...B, systemId: '8', timeline: 2 })], A)).toBeUndefined();
  });

  test.each<[string, HostReport, string | undefined]>([
    ['a standby', standby(), undefined],
    ['another name of it', primary({ host: 'alias:5432' }), undefined],
    ['nobody', unavailable('b:5432'), 'b:5432 does not answer'],
    ['another system', standby({ systemId: '8' }), 'b:5432 is another database, which is not used'],
    [
      'a former primary',
      primary(B),
      'b:5432 is a former primary, which is not used: make it a standby, or stop it',
    ],
    [
      'one of its timeline',
      primary({ ...B, timeline: 2 }),
      'b:5432 is a primary of the same timeline as a:5432: stop the one that is not to count',
    ],
  ])('beside it, %s', (_what, other, warning) => {
    const used = primary({ timeline: 2 });
    expect(describeOthers([used, other], used)).toBe(warning);
  });

  test('of the followed primary nothing, whatever it answered last', () => {
    const { host } = primary();
    for (const before of [unavailable(host), primary({ timeline: 0 }), standby({ host })])
      expect(describeOthers([before], primary())).toBeUndefined();
  });

  test('beside it, two', () => {
    expect(describeOthers([primary(), unavailable('b:5432'), unavailable('c:5432')], primary())).toBe(
      'b:5432 does not answer; c:5432 does not answer',
    );
  });
});

test.each([
  [{ isStandby: false, logFile: '0000001A0000000100000002', returned: null }, 'primary', 26],
  [{ isStandby: true, logFile: null, returned: null }, 'standby', 3],
  [
    { isStandby: true, logFile: null, returned: 'gone back to: {"count":2,"by":"Ana","atMs":1}' },
    'standby',
    2 ** 22 + 3,
  ],
] as const)('a host that answers %j is a %s of timeline %i', (answer, kind, timeline) => {
  const same = { startedAt: 'monday', systemId: '7' };
  expect(readHostAnswer('a:5432', { ...same, knownTimeline: 3, ...answer })).toEqual({
    ...same,
    host: 'a:5432',
    kind,
    timeline,
  });
});
