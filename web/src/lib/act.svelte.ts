import { asApiError, type ApiError } from './errors';

/** What a button sets off: once at a time, and why it failed is there to be shown until the next try. */
export class Act {
  busy = $state(false);
  failure = $state.raw<ApiError>();

  /** Does nothing while the last time is still under way. Never throws. */
  async run(work: () => Promise<unknown>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.failure = undefined;
    try {
      await work();
    } catch (error) {
      this.failure = asApiError(error);
    } finally {
      this.busy = false;
    }
  }
}
