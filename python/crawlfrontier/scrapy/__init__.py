"""Components for Scrapy, enabled by its settings alone:

    SCHEDULER = "crawlfrontier.scrapy.Scheduler"
    DUPEFILTER_CLASS = "crawlfrontier.scrapy.DupeFilter"
    ROBOTSTXT_PARSER = "crawlfrontier.scrapy.RobotParser"
    DOWNLOADER_MIDDLEWARES = {"crawlfrontier.scrapy.RenderMiddleware": 540}

and ``from crawlfrontier.scrapy import LinkExtractor`` in place of Scrapy's own.
"""
from .dupefilter import DupeFilter
from .links import LinkExtractor
from .render import RenderMiddleware
from .robots import RobotParser
from .scheduler import Scheduler

__all__ = ["DupeFilter", "LinkExtractor", "RenderMiddleware", "RobotParser", "Scheduler"]
