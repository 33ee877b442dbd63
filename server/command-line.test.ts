import { expect, test } from 'vitest';
import { CommandLineEnd, readCommandLine } from './command-line.ts';

const read = (...args: string[]) => {
  const program = {
    program: 'npm start',
    help: 'Usage: npm start',
    options: { port: { type: 'string' } },
  } as const;
  try {
    return readCommandLine(args, program).values;
  } catch (error) {
    if (error instanceof CommandLineEnd) return [error.exitCode, error.message];
    throw error;
  }
};

test('a program is explained where its help is asked for, whatever else is given', () => {
  expect(read('--help')).toEqual([0, 'Usage: npm start']);
  expect(read('--port', '1', '-h')).toEqual([0, 'Usage: npm start']);
});

test('an option that the program does not know is named, with its help', () => {
  expect(read('--prot', '1')).toEqual([2, "Unknown option '--prot'. See npm start -- --help."]);
});

test('options that it knows are read', () => {
  expect(read('--port', '1')).toEqual({ port: '1' });
});
