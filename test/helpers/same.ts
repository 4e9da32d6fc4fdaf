/**
 * Whether two values are equal in everything that JSON keeps of them, the order of maps and sets included; a field that is
 * undefined is none.
 */
export function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one)) return Array.isArray(other) && sameLists(one, other);
  if (one instanceof Map) return other instanceof Map && sameLists([...one], [...other]);
  if (one instanceof Set) return other instanceof Set && sameLists([...one], [...other]);
  return (
    Object.getPrototypeOf(one) === Object.getPrototypeOf(other) && sameFields(one as Fields, other as Fields)
  );
}

type Fields = Readonly<Record<string, unknown>>;

function sameLists(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, at) => same(item, other[at]));
}

function sameFields(one: Fields, other: Fields): boolean {
  for (const key in one) if (!same(one[key], other[key])) return false;
  for (const key in other) if (other[key] !== undefined && one[key] === undefined) return false;
  return true;
}
