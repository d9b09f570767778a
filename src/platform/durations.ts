import type { Registry } from 'prom-client';

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

type Labels = Readonly<Record<string, string>>;

export class Durations {
  readonly labels: Labels;
  readonly counts = new Float64Array(bounds.length + 1);
  sum = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  observe(seconds: number): void {
    let i = 0;
    while (i < bounds.length && seconds > (bounds[i] as number)) i++;
    (this.counts[i] as number)++;
    this.sum += seconds;
  }
}

/** A histogram that computes its sums when it is read. prom-client computes them at each request (docs/performance.md). */
export class DurationHistogram {
  readonly name: string;
  readonly #help: string;
  readonly #series: Durations[] = [];

  constructor(name: string, help: string, registry: Registry) {
    this.name = name;
    this.#help = help;
    registry.registerMetric(this as never);
  }

  /** Keep the returned object: each call creates its own series. */
  series(labels: Labels): Durations {
    const durations = new Durations(labels);
    this.#series.push(durations);
    return durations;
  }

  /** In the form that prom-client's registry prints. */
  async get() {
    const values = this.#series.flatMap(({ labels, counts, sum }) => {
      let total = 0;
      const buckets = [...counts].map((count, i) => {
        total += count;
        const le = i < bounds.length ? bounds[i] : '+Inf';
        return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: total };
      });
      return [
        ...buckets,
        { metricName: `${this.name}_sum`, labels, value: sum },
        { metricName: `${this.name}_count`, labels, value: total },
      ];
    });
    return { name: this.name, help: this.#help, type: 'histogram', values, aggregator: 'sum' };
  }
}
