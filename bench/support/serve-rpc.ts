/** One call of a child program's function (child-program.ts), and the reply. */
export interface Call {
  readonly name: string;
  readonly given: unknown;
}
export type Reply = { readonly answer: unknown } | { readonly failure: string };

/** In a child program: serves these functions to its parent, one call at a time. It ends when the parent is gone. */
export function serveRpc(functions: Readonly<Record<string, (given: never) => unknown>>): void {
  process.on('message', ({ name, given }: Call) => {
    const called = functions[name];
    // Another part of this program may serve it.
    if (called) void reply(() => called(given as never));
  });
  process.on('disconnect', () => process.exit(1));
}

async function reply(work: () => unknown): Promise<void> {
  let message: Reply;
  try {
    message = { answer: await work() };
  } catch (error) {
    message = { failure: error instanceof Error ? error.message : String(error) };
  }
  process.send?.(message);
}
