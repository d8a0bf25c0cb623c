"""robots.txt by RFC 9309 for Scrapy."""
from __future__ import annotations

from typing import Any, Union

from scrapy.robotstxt import RobotParser as BaseRobotParser

from ..errors import ParseError
from ..robots import Robots, agent_token, parse_robots


class RobotParser(BaseRobotParser):
    """ROBOTSTXT_PARSER = "crawlfrontier.scrapy.RobotParser".

    robots.txt names an agent by the product token at the start of its User-Agent: "Example-Bot" of "Example-Bot/1.0
    (+https://...)".
    """

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._by_agent: dict[Union[str, bytes], Robots] = {}  # Scrapy asks with one User-Agent, or a few of a spider

    @classmethod
    def from_crawler(cls, crawler: Any, robotstxt_body: bytes) -> "RobotParser":
        return cls(robotstxt_body)

    def allowed(self, url: Union[str, bytes], user_agent: Union[str, bytes]) -> bool:
        """Returns True if the URL may be fetched. No rule matches a text that is not a URL."""
        robots = self._by_agent.get(user_agent)
        if robots is None:
            robots = self._by_agent[user_agent] = parse_robots(self._body, agent_token(user_agent))
        try:
            return robots.allowed(url)
        except ParseError:
            return True
