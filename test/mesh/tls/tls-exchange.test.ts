import { describeExchange } from '../../contract/exchange-contract.ts';
import { tlsExchange } from '../../support/exchange-networks.ts';

describeExchange('TLS', tlsExchange);
