/** Nothing is under way: wishes are looked for, those of people here first. */
import { wait } from '../time.ts'
import { type Step, tickMs } from './ground.ts'

export const idle: Step = async ({ stop, asked, wish }) => {
  for (;;) {
    const came = asked() ?? wish()
    if (came) return came
    if (!(await wait(tickMs(), stop))) return undefined
  }
}
