import { describeExchange } from '../../contract/exchange-contract.ts';
import { memoryExchange } from '../../support/exchange-networks.ts';

describeExchange('memory', memoryExchange);
