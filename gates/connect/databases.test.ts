import { expect, test } from 'vitest';
import { hidePassword } from './databases.ts';

test.each([
  [
    'postgres://triagem_leitor:leitor@leitor:5432/leitor',
    'postgres://triagem_leitor:PASSWORD@leitor:5432/leitor',
  ],
  [
    'postgresql://u:a:b@c@h1:5432,h2:5433/db?sslmode=require',
    'postgresql://u:PASSWORD@h1:5432,h2:5433/db?sslmode=require',
  ],
  ['postgres://u:ç@h/db', 'postgres://u:PASSWORD@h/db'],
  [
    'postgres://h:5432/db?user=u&password=h&sslmode=require',
    'postgres://h:5432/db?user=u&password=PASSWORD&sslmode=require',
  ],
  ['postgres://u@h:5432/db', 'postgres://u@h:5432/db'],
])('the password alone is hidden in %s', (url, hidden) => {
  expect(hidePassword(url)).toBe(hidden);
});
