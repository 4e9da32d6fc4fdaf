/** The same things in another order, the same for the same seed. */
export function shuffled<T>(things: readonly T[], seed: number): readonly T[] {
  const mixed = [...things];
  let state = seed + 1;
  for (let at = mixed.length - 1; at > 0; at--) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const other = state % (at + 1);
    const [one, two] = [mixed[at], mixed[other]];
    if (one === undefined || two === undefined) continue;
    mixed[at] = two;
    mixed[other] = one;
  }
  return mixed;
}
