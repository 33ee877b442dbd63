import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { csvLine, sheetLine, textOfCell } from './csv-line.ts';

test('a line of a CSV is quoted where it must be, and no cell of text is a formula', () => {
  expect(csvLine(['a', 'b,"c"\nd', -3, null, '=1+1', '@x', "it's"])).toBe(
    `a,"b,""c""\nd",-3,,'=1+1,'@x,it's\r\n`,
  );
});

test.each([
  ['=1', `'=1`],
  ['+1', `'+1`],
  ['-1', `'-1`],
  ['@SUM(1)', `'@SUM(1)`],
  ['\tx', `'\tx`],
  ['\rx', `"'\rx"`],
  ['\nx', `"'\nx"`],
  ['  =1', `'  =1`],
  ['＝1', `'＝1`],
  ['a;=1', `"a;'=1"`],
  ['=1;-2; +3', `"'=1;'-2;' +3"`],
  ['a=1-2+3@4', 'a=1-2+3@4'],
  ['7; 8', '"7; 8"'],
])('the text %j becomes %j, and is read as it was', (text, cell) => {
  expect(csvLine([text])).toBe(`${cell}\r\n`);
  const [[read = '']] = parse(csvLine([text])) as [string[]];
  expect(textOfCell(read)).toBe(text);
});

test('a line for a spreadsheet in Brazil has semicolons, decimal commas, and no formula in any text', () => {
  const cells = ['a', 'b;"c"', -3, 1.5, null, '=1+1', 'fila, =1+1', 'a;-1', '7, 8'];
  expect(sheetLine(cells)).toBe(`a;"b;""c""";-3;1,5;;'=1+1;"fila,' =1+1";"a;'-1";"7, 8"\r\n`);
});
