import { expect, test } from 'vitest';
import { addressOf, hostOf, hostUrls } from './database-hosts.ts';

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
])('%s names these hosts', (url, urls) => {
  expect(hostUrls(url)).toEqual(urls);
});

test('a host is told with its port', () => {
  expect(hostOf('postgres://u:p@db.example/x')).toBe('db.example:5432');
  expect(hostOf('postgres://u:p@[::1]:5433/x')).toBe('[::1]:5433');
});

test('an IPv6 address is told to the library as one', () => {
  expect(addressOf('postgres://u:p@[::1]:5433/x')).toEqual({ host: ['::1'], port: [5433] });
  expect(addressOf('postgres://u:p@db.example/x')).toEqual({ host: ['db.example'], port: [5432] });
});
