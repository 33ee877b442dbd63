import type { BadLine } from '../csv/bad-lines.ts';
import type { Dialect } from '../csv/dialect.ts';
import { errorMessage, GatesError } from '../../cli/errors.ts';
import { writeNewFile } from '../../cli/new-file.ts';

export interface Rejects {
  readonly dialect: Dialect;
  readonly lines: readonly BadLine[];
}

/** Excel reads UTF-8 only with a byte order mark. */
const MARK = '\uFEFF';
const LINES_AT_ONCE = 2_000;
const REASON = 'reason';

/**
 * Writes the bad lines as they are kept, in UTF-8, below their header, with the reason in an additional column, which replaces
 * that of an earlier such file: once corrected, the file can be imported. `work` runs before the file gets its name; the file
 * appears only if `work` succeeds.
 */
export async function writeRejects<T>(
  path: string,
  { dialect, lines }: Rejects,
  work: () => Promise<T>,
): Promise<T> {
  const { delimiter, head } = dialect;
  const header = head.toString();
  const end = /\r?\n$|\r$/.exec(header)?.[0] ?? '\n';
  const hasReason = withoutEnd(header).endsWith(`${delimiter}${REASON}`);
  const lastColumn = new RegExp(`[${delimiter}](?:"(?:[^"]|"")*"|[^${delimiter}"]*)$`);
  const withoutReason = (text: string): string => (hasReason ? text.replace(lastColumn, '') : text);
  const done: T[] = [];
  let isWorking = false;
  const writing = writeNewFile(path, async (append) => {
    await append(Buffer.from(`${MARK}${withoutReason(withoutEnd(header))}${delimiter}${REASON}${end}`));
    for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
      const rows = lines
        .slice(at, at + LINES_AT_ONCE)
        .map(
          ({ line, text, cause }) =>
            `${withoutReason(text)}${delimiter}${quote(`line ${line}: ${cause}`)}${end}`,
        );
      await append(Buffer.from(rows.join('')));
    }
    isWorking = true;
    done.push(await work());
  });
  await writing.catch((error: unknown) => {
    if (done.length === 0 && isWorking) throw error;
    if (done.length === 0) throw new GatesError(`${errorMessage(error)} Nothing was imported.`);
    throw new GatesError(`The good lines were imported, and the bad ones not kept: ${errorMessage(error)}`);
  });
  return done[0] as T;
}

function withoutEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
