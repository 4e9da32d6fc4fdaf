/**
 * Numbers for operators, in the text format 0.0.4 that Prometheus reads. Kept in memory, begun anew with each process.
 *
 *  M1 the families are declared once, with every value that a label may have: no id ever is one, and what is not declared
 *     counts as `other`, so that what a process keeps and what a scrape costs have a bound;
 *  M2 a counter never goes back; what is asked at the time of a scrape is a gauge.
 */

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** Name of its one label, and all that it may be; left out: it has none. */
  readonly label?: { readonly name: string; readonly values: readonly string[] };
  /** Upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[];
}

const OTHER = 'other';

interface Series {
  value: number;
  /** Of a histogram: how many stayed within each bound, and how many there were. */
  readonly within: number[];
  count: number;
}

export class Meters {
  readonly #families: ReadonlyMap<string, Family>;
  /** By family, then by value of its label. */
  readonly #series = new Map<string, Map<string, Series>>();
  readonly #asked = new Map<string, () => number>();

  constructor(families: readonly Family[]) {
    this.#families = new Map(families.map((family) => [family.name, family]));
    for (const { name, label, buckets = [] } of families) {
      const values = label === undefined ? [''] : label.values;
      this.#series.set(name, new Map(values.map((value) => [value, emptySeries(buckets)])));
    }
  }

  /** One more, or so many more. */
  add(name: string, label = '', by = 1): void {
    const series = this.#of(name, label);
    if (series !== undefined) series.value += by;
  }

  /** One more measurement of a histogram. */
  measure(name: string, value: number, label = ''): void {
    const series = this.#of(name, label);
    if (series === undefined) return;
    const buckets = this.#families.get(name)?.buckets ?? [];
    for (const [at, bound] of buckets.entries())
      if (value <= bound) series.within[at] = (series.within[at] ?? 0) + 1;
    series.value += value;
    series.count++;
  }

  /** A gauge is asked whenever somebody looks. @param ask must not throw */
  ask(name: string, ask: () => number): void {
    this.#asked.set(name, ask);
  }

  /** All of it as text. */
  text(): string {
    const lines = [...this.#families.values()].flatMap((family) => [
      `# HELP ${family.name} ${family.help}`,
      `# TYPE ${family.name} ${family.kind}`,
      ...this.#lines(family),
    ]);
    return `${lines.join('\n')}\n`;
  }

  #lines({ name, kind, label, buckets = [] }: Family): string[] {
    const asked = this.#asked.get(name);
    if (asked !== undefined) return [`${name} ${asked()}`];
    return [...(this.#series.get(name) ?? [])].flatMap(([value, series]) => {
      const own = label === undefined ? '' : `${label.name}="${value}"`;
      if (kind !== 'histogram') return [`${name}${braced(own)} ${series.value}`];
      const bounds = [...buckets.map(String), '+Inf'];
      const within = [...series.within, series.count];
      return [
        ...bounds.map((bound, at) => `${name}_bucket${braced(own, `le="${bound}"`)} ${within[at] ?? 0}`),
        `${name}_sum${braced(own)} ${series.value}`,
        `${name}_count${braced(own)} ${series.count}`,
      ];
    });
  }

  #of(name: string, label: string): Series | undefined {
    const known = this.#series.get(name);
    return known?.get(label) ?? known?.get(OTHER);
  }
}

function emptySeries(buckets: readonly number[]): Series {
  return { value: 0, within: buckets.map(() => 0), count: 0 };
}

function braced(...labels: readonly string[]): string {
  const written = labels.filter((label) => label !== '');
  return written.length === 0 ? '' : `{${written.join(',')}}`;
}
