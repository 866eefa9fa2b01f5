/** The order of the folders in each package that has one. */
import type { Order } from './order.ts'
import { apiOrder } from './orders/api.ts'
import { blueprintOrder } from './orders/blueprint.ts'
import { dashboardOrder } from './orders/dashboard.ts'
import { runtimeOrder } from './orders/runtime.ts'
import { serverOrder } from './orders/server.ts'

export const orders: Readonly<Record<string, Order>> = {
  api: apiOrder,
  blueprint: blueprintOrder,
  runtime: runtimeOrder,
  server: serverOrder,
  dashboard: dashboardOrder,
}
