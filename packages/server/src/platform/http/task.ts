/** Runs a task of a queue. An error of the task is thrown outside the queue, so that the other tasks still run. */
export function runTask(task: () => void): void {
  try {
    task()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
