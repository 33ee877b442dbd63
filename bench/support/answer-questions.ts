/** What the program that measures asks one of its child programs, and the answer. */
export interface Question {
  readonly id: number;
  readonly name: string;
  readonly given: unknown;
}
export type Answer =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: string };

type Answering = (given: never) => unknown;

const answering = new Map<string, Answering>();
/** Questions that came before whoever answers them was loaded. */
let early: Question[] = [];

/** In a child program: answers the questions with these names. It ends when the one that asks is gone. */
export function answerQuestions(answers: Readonly<Record<string, Answering>>): void {
  if (answering.size === 0) listen();
  for (const [name, answer] of Object.entries(answers)) answering.set(name, answer);
  const waiting = early;
  early = [];
  for (const question of waiting) void reply(question);
}

function listen(): void {
  process.on('message', (question: Question) => void reply(question));
  process.on('disconnect', () => process.exit(1));
}

async function reply(question: Question): Promise<void> {
  const { id, name, given } = question;
  const answer = answering.get(name);
  if (!answer) {
    early.push(question);
    return;
  }
  try {
    send({ id, answer: await answer(given as never) });
  } catch (error) {
    send({ id, failure: error instanceof Error ? error.message : String(error) });
  }
}

function send(answer: Answer): void {
  process.send?.(answer);
}
