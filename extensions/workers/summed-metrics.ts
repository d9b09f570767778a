import { AggregatorRegistry } from 'prom-client';

const onlyGrows = (figure: object) => 'type' in figure && (figure.type === 'counter' || figure.type === 'histogram');

/** Sums the metrics of all workers. The last counts of a worker stay in the sum after it ends. */
export class SummedMetrics {
  readonly #last = new Map<number, object[]>();
  #departed: object[][] = [];

  note(worker: number, figures: object[]): void {
    this.#last.set(worker, figures);
  }

  forget(worker: number): void {
    const figures = this.#last.get(worker);
    this.#last.delete(worker);
    if (figures) this.#departed.push(figures.filter(onlyGrows));
  }

  async text(): Promise<string> {
    const departed = this.#departed;
    this.#departed = [];
    const figures = [...this.#last.values(), ...departed];
    // One sum for all ended workers.
    if (departed.length > 0) this.#departed.push(await AggregatorRegistry.aggregate(departed).getMetricsAsJSON());
    return AggregatorRegistry.aggregate(figures).metrics();
  }
}
