import { formatCount } from '../../page/design/number-format.ts';

/** A count for people and for machines: `<data value="31482">31.482</data>`. */
export function Count({ value }: { readonly value: number }) {
  return <data value={value}>{formatCount(value)}</data>;
}
