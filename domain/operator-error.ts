/** Something that whoever runs the program has to put right: printed without a stack, as the message says it all. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
