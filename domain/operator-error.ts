/** An error that the operator has to correct: its message is printed without a stack. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
