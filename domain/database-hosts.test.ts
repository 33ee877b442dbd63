import { expect, test } from 'vitest';
import { addressOf, hostOf, hostsProblem, hostUrls } from './database-hosts.ts';

test.each([
  ['postgres://u:p@h/db', ['postgres://u:p@h/db']],
  ['postgres://u:p@h1:5432,h2:5433/db', ['postgres://u:p@h1:5432/db', 'postgres://u:p@h2:5433/db']],
  ['postgresql://h1,h2:5433/db', ['postgresql://h1/db', 'postgresql://h2:5433/db']],
  ['postgres://h1,h2/db?port=6000', ['postgres://h1:6000/db', 'postgres://h2:6000/db']],
  ['postgres://[::1]:5433,[fe80::2]/db?port=1', ['postgres://[::1]:5433/db', 'postgres://[fe80::2]:1/db']],
  [
    'postgres://u:a,b@h1,h2/db?sslmode=require&target_session_attrs=primary&load_balance_hosts=random&x=%2C',
    ['postgres://u:a,b@h1/db?sslmode=require&x=%2C', 'postgres://u:a,b@h2/db?sslmode=require&x=%2C'],
  ],
  [
    'postgres://h1,h2/db?&&sslmode=require',
    ['postgres://h1/db?sslmode=require', 'postgres://h2/db?sslmode=require'],
  ],
  ['x-postgres://h1,h2/db', ['x-postgres://h1,h2/db']],
  ['postgres://h1,h2/db#a', ['postgres://h1,h2/db#a']],
])('%s names these hosts', (url, urls) => {
  expect(hostUrls(url)).toEqual(urls);
});

test('a host is named with its port', () => {
  expect(hostOf('postgres://u:p@db.example/x')).toBe('db.example:5432');
  expect(hostOf('postgres://u:p@[::1]:5433/x')).toBe('[::1]:5433');
});

test('an IPv6 address is passed to the library as one', () => {
  expect(addressOf('postgres://u:p@[::1]:5433/x')).toEqual({ host: ['::1'], port: [5433] });
  expect(addressOf('postgres://u:p@db.example/x')).toEqual({ host: ['db.example'], port: [5432] });
});

const PORT_FOR_ALL =
  'has its port after the question mark: one number there is that of all hosts, and else each has its own behind it';
const TARGET =
  'sets target_session_attrs to what leads to standbys: leave it out, the primary is found by itself';
const noHostAt = (place: number, of: number): string =>
  `has no host in place ${place} of its ${of}: write them as host1:5432,host2:5432,[::1]:5432`;

test.each([
  ['h1:5432,h2:5433/db', undefined],
  ['h1,[::1]/db?port=5433', undefined],
  ['/db?host=/run', undefined],
  ['h1/db?target_session_attrs=any', undefined],
  ['h1/db?target_session_attrs=primary', undefined],
  ['h1/db?target_session_attrs=read-write', undefined],
  ['h1,h2/db?target_session_attrs=prefer-standby', TARGET],
  ['h1,h2:5433/db?port=5432', PORT_FOR_ALL],
  ['h1,h2/db?port=1,2', PORT_FOR_ALL],
  ['h1/db?port=x1', PORT_FOR_ALL],
  ['h1/db?port=1x', PORT_FOR_ALL],
  ['h1/db?port=', PORT_FOR_ALL],
  [',h2/db', noHostAt(1, 2)],
  ['h1,,h3/db', noHostAt(2, 3)],
  ['h1,::1/db', noHostAt(2, 2)],
])('the hosts of postgres://%s have this problem: %s', (rest, problem) => {
  expect(hostsProblem(`postgres://${rest}`)).toBe(problem);
});

test('a URL of another scheme has no problem of hosts', () => {
  expect(hostsProblem('mysql://,/db?port=x')).toBeUndefined();
});
