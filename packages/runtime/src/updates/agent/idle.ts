/** Waits for a wish of the service while no update is in progress. Requests of people on this machine come first. */
import { wait } from '../../machine/base/time.ts'
import { tickMs, type UpdateStep } from './ground.ts'

export const idle: UpdateStep = async ({ stop, asked, wish }) => {
  for (;;) {
    const came = asked() ?? wish()
    if (came) return came
    if (!(await wait(tickMs(), stop))) return undefined
  }
}
