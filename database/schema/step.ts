/** One thing that the database needs, and whether it had to be done. */
export interface Step {
  readonly what: string;
  readonly done: boolean;
}
